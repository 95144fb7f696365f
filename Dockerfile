FROM python:3.11-slim

# Empty means pip's default, which is the CUDA build.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu

# The browser's address is given because Streamlit would else ask the internet for its own.
ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_BROWSER_SERVER_ADDRESS=localhost \
    STREAMLIT_SERVER_FILE_WATCHER_TYPE=none

WORKDIR /app
# Before the code, so that a change of the code doesn't install everything again.
COPY .ci/install.py .ci/install.py
COPY requirements.txt .
RUN python .ci/install.py --torch-index "$TORCH_INDEX" requirements.txt

COPY .streamlit .streamlit
COPY attnviz attnviz
COPY pages pages
COPY app.py serve.py ./

RUN useradd --create-home attnviz
USER attnviz

EXPOSE 8501
# The empty handler keeps a proxy from the environment out of a request to the container itself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["python", "-c", \
    "import urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "serve.py"]
