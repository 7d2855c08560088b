# PostgreSQL with madtree, and madtree's command line.
#
#   docker build --tag madtree .                          PostgreSQL 17, on the official image
#   docker build --build-arg POSTGRES=16 ...              another major version
#   docker build --target client --tag madtree-client .   the command line
#
# Other images that are made from Debian's or PGDG's packages will do, such as CloudNativePG's (docs/install.md):
#
#   docker build --build-arg BASE=ghcr.io/cloudnative-pg/postgresql:17-standard-trixie --build-arg ACCOUNT=26 ...
ARG POSTGRES=17
ARG BASE=postgres:${POSTGRES}

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
# What the base image starts as: root in the official one, which becomes postgres before it starts the server.
ARG ACCOUNT=root
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
