# PostgreSQL with madtree, and madtree's command line.
#
#   docker build --tag madtree .                          PostgreSQL 17, on the official image
#   docker build --build-arg POSTGRES=16 ...              another major version
#   docker build --target client --tag madtree-client .   the command line
#   docker buildx build --platform linux/amd64,linux/arm64 ...    for several architectures: nothing here is for one
#
# The base is of one Debian release, and so of one Python and one numpy. A digest pins it wholly:
#
#   docker build --build-arg BASE=postgres:17-trixie@sha256:... ...
#
# Other images that are made from Debian's or PGDG's packages will do, such as CloudNativePG's (docs/install.md):
#
#   docker build --build-arg BASE=ghcr.io/cloudnative-pg/postgresql:17-standard-trixie --build-arg ACCOUNT=26 ...
ARG POSTGRES=17
ARG DEBIAN=trixie
ARG BASE=postgres:${POSTGRES}-${DEBIAN}

FROM ${BASE} AS plpython
USER root
# PL/Python must be of the server's own version: apt brings the server along where its sources have a newer minor one.
RUN set -eu; \
    major=$(postgres --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/'); \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
        "postgresql-plpython3-$major" python3-numpy; \
    rm -rf /var/lib/apt/lists/*

FROM plpython AS extension
WORKDIR /usr/src/madtree
COPY madtree.control ./
COPY sql sql
COPY migrations migrations
COPY madtree madtree
RUN python3 -B -m madtree.install --destdir /installed

FROM plpython AS server
COPY --from=extension /installed/ /
# The official image runs this once, in the database that it creates; other images take no notice.
COPY docker/first-start.sql /docker-entrypoint-initdb.d/madtree.sql
# Sessions and parallel workers do the parallel work: threads of numpy's BLAS in each of them would only be in the way.
ENV OPENBLAS_NUM_THREADS=1
# By TCP: while the first start prepares the database, the server listens on its socket only.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["pg_isready", "--quiet", "--host=127.0.0.1", "--username=postgres"]
# Nothing runs as root. ACCOUNT=root starts as the official image does, which makes a directory of root's the server's own
# and becomes postgres then.
ARG ACCOUNT=postgres
USER ${ACCOUNT}

FROM extension AS client
RUN set -eu; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3-venv; \
    rm -rf /var/lib/apt/lists/*; \
    python3 -m venv /opt/madtree; \
    install --directory --owner postgres --group postgres /var/lib/madtree
COPY pyproject.toml LICENSE README.md ./
RUN /opt/madtree/bin/pip install --no-cache-dir .
ENV PATH=/opt/madtree/bin:$PATH MADTREE_HOME=/var/lib/madtree
USER postgres
WORKDIR /var/lib/madtree
ENTRYPOINT ["madtree"]
CMD ["--help"]

# What is built where no target is named.
FROM server
