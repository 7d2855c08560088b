-- Types of the work tables. CREATE TABLE AS, unlike INSERT, runs in parallel workers, but leaves no say in how a column
-- is stored: only the column's type has. Codes would be compressed, slowly and for nothing, and the padding, too.

DO $do$
BEGIN
    IF pg_catalog.to_regtype('madtree_internal.packed') IS NULL THEN
        -- Bytes that are kept outside the row, as they are.
        CREATE TYPE madtree_internal.packed;
        CREATE FUNCTION madtree_internal.packed_in(cstring) RETURNS madtree_internal.packed
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteain';
        CREATE FUNCTION madtree_internal.packed_out(madtree_internal.packed) RETURNS cstring
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteaout';
        CREATE FUNCTION madtree_internal.packed_recv(internal) RETURNS madtree_internal.packed
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'bytearecv';
        CREATE FUNCTION madtree_internal.packed_send(madtree_internal.packed) RETURNS bytea
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';
        CREATE TYPE madtree_internal.packed (
            INPUT = madtree_internal.packed_in, OUTPUT = madtree_internal.packed_out,
            RECEIVE = madtree_internal.packed_recv, SEND = madtree_internal.packed_send,
            INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
        );
        CREATE CAST (madtree_internal.packed AS bytea) WITHOUT FUNCTION AS IMPLICIT;
        CREATE CAST (bytea AS madtree_internal.packed) WITHOUT FUNCTION;

        -- Text that stays in the row, as it is.
        CREATE TYPE madtree_internal.padding;
        CREATE FUNCTION madtree_internal.padding_in(cstring) RETURNS madtree_internal.padding
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textin';
        CREATE FUNCTION madtree_internal.padding_out(madtree_internal.padding) RETURNS cstring
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textout';
        CREATE FUNCTION madtree_internal.padding_recv(internal) RETURNS madtree_internal.padding
        LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textrecv';
        CREATE FUNCTION madtree_internal.padding_send(madtree_internal.padding) RETURNS bytea
        LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textsend';
        CREATE TYPE madtree_internal.padding (
            INPUT = madtree_internal.padding_in, OUTPUT = madtree_internal.padding_out,
            RECEIVE = madtree_internal.padding_recv, SEND = madtree_internal.padding_send,
            INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = plain
        );
        CREATE CAST (text AS madtree_internal.padding) WITHOUT FUNCTION;
    END IF;
END
$do$;

COMMENT ON TYPE madtree_internal.packed IS 'internal: bytes stored outside the row, uncompressed';
COMMENT ON TYPE madtree_internal.padding IS 'internal: text that fills a page, so that a row has one to itself';
COMMENT ON CAST (madtree_internal.packed AS bytea) IS 'internal: the same bytes';
COMMENT ON CAST (bytea AS madtree_internal.packed) IS 'internal: the same bytes';
COMMENT ON CAST (text AS madtree_internal.padding) IS 'internal: the same text';
COMMENT ON FUNCTION madtree_internal.packed_in(cstring) IS 'internal: input of packed';
COMMENT ON FUNCTION madtree_internal.packed_out(madtree_internal.packed) IS 'internal: output of packed';
COMMENT ON FUNCTION madtree_internal.packed_recv(internal) IS 'internal: binary input of packed';
COMMENT ON FUNCTION madtree_internal.packed_send(madtree_internal.packed) IS 'internal: binary output of packed';
COMMENT ON FUNCTION madtree_internal.padding_in(cstring) IS 'internal: input of padding';
COMMENT ON FUNCTION madtree_internal.padding_out(madtree_internal.padding) IS 'internal: output of padding';
COMMENT ON FUNCTION madtree_internal.padding_recv(internal) IS 'internal: binary input of padding';
COMMENT ON FUNCTION madtree_internal.padding_send(madtree_internal.padding) IS 'internal: binary output of padding';
