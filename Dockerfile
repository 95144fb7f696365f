# The image is given by name and not by digest, so that each build gets Debian's and Python's security fixes. The
# versions that decide the numbers are pinned in requirements.txt. For the same bytes each time, write FROM
# python:3.11-slim@sha256:... with the digest that `docker buildx imagetools inspect python:3.11-slim` prints.
FROM python:3.11-slim

# Empty means pip's default, which is the CUDA build.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_SERVER_FILE_WATCHER_TYPE=none \
    STREAMLIT_LOGGER_HIDE_WELCOME_MESSAGE=true \
    ATTNVIZ_LOG=json \
    ATTNVIZ_DATABASE=sqlite:////data/classes.sqlite

# The user is given by number, because Kubernetes can't tell from a name whether it is root.
RUN useradd --create-home --uid 10001 attnviz && install -d -o 10001 -g 10001 /data

WORKDIR /app
# The packages come before the code, so that a change of the code doesn't install everything again.
COPY .ci/install.py .ci/install.py
COPY requirements.txt requirements-model.txt ./
RUN python .ci/install.py --torch-index "$TORCH_INDEX" --alone requirements-model.txt requirements.txt

COPY .streamlit .streamlit
COPY attnviz attnviz
COPY pages pages
COPY app.py LICENSE ./
# Python can't store compiled modules on a read-only file system, so they are compiled here.
RUN python -m compileall -q attnviz pages app.py

# These come last, because they change with every commit.
ARG VERSION=""
ARG COMMIT=""
ENV ATTNVIZ_COMMIT=$COMMIT
LABEL org.opencontainers.image.title="attnviz" \
      org.opencontainers.image.description="An interactive self-attention visualizer: every number real, editable and explained." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.base.name="python:3.11-slim"

USER 10001:10001
EXPOSE 8501
# The empty handler keeps a proxy that the environment names out of the container's request to itself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["python", "-c", \
    "import urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:8501/ready', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py"]
