"""Names of the matrices in German and French handouts."""

import unicodedata
from collections.abc import Iterator, Mapping
from types import MappingProxyType

# Stage -> its names, without blanks, because headings are compared without these.
_GERMAN: Mapping[str, str] = MappingProxyType(
    {
        "x": "eingabe eingaben eingang eingabematrix eingabevektoren einbettung einbettungen wortvektoren",
        "q": "anfrage anfragen abfrage abfragen suchanfragen anfragematrix abfragematrix anfragevektoren",
        "k": "schlüssel schluessel schlüsselmatrix schluesselmatrix schlüsselvektoren schluesselvektoren",
        "v": "werte wert wertematrix wertevektoren wertvektoren",
        "scores": "punktzahlen punkte punktwerte bewertungen rohwerte ähnlichkeiten aehnlichkeiten skalarprodukte",
        "scaled_scores": (
            "skaliert skaliertescores skaliertepunktzahlen skaliertepunkte skaliertepunktwerte skaliertebewertungen "
            "skaliertewerte"
        ),
        "attention_weights": (
            "aufmerksamkeit aufmerksamkeiten gewichte aufmerksamkeitsgewichte aufmerksamkeitsmatrix "
            "gewichtederaufmerksamkeit attentiongewichte attention-gewichte wahrscheinlichkeiten"
        ),
        "context": "kontext kontextvektor kontextvektoren kontextmatrix",
        "output": "ausgabe ausgaben ausgang ergebnis",
        "w_q": "gewichtsmatrixderanfragen anfragegewichte abfragegewichte gewichteq",
        "w_k": "gewichtsmatrixderschlüssel schlüsselgewichte schluesselgewichte gewichtek",
        "w_v": "gewichtsmatrixderwerte wertgewichte gewichtev",
    }
)
_FRENCH: Mapping[str, str] = MappingProxyType(
    {
        "x": "entrée entrées matriced'entrée vecteursd'entrée plongement plongements",
        "q": "requête requêtes matricedesrequêtes matricederequêtes vecteursderequête",
        "k": "clé clés clef clefs matricedesclés matricedeclés vecteursdeclé",
        "v": "valeur valeurs matricedesvaleurs matricedevaleurs vecteursdevaleur",
        "scores": "scoresd'attention scoresbruts similarités produitsscalaires",
        "scaled_scores": "scoresmisàl'échelle misàl'échelle scoresréduits",
        "attention_weights": (
            "poids poidsd'attention poidsdel'attention matriced'attention matricedespoids probabilités"
        ),
        "context": "contexte vecteurdecontexte vecteursdecontexte vecteurscontexte matricedecontexte",
        "output": "sortie sorties résultat",
        "w_q": "poidsdesrequêtes poidsq",
        "w_k": "poidsdesclés poidsk",
        "w_v": "poidsdesvaleurs poidsv",
    }
)


def foreign_names() -> Iterator[tuple[str, str]]:
    """Yield each name with its stage; those with accents also without."""
    for names in (_GERMAN, _FRENCH):
        for stage, words in names.items():
            for word in words.split():
                yield word, stage
                yield _without_accents(word), stage


def _without_accents(word: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
