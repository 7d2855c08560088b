-- Types of the work tables. CREATE TABLE AS, unlike INSERT, runs in parallel workers, but leaves no say in how a column
-- is stored: only the column's type has. Codes would be compressed, slowly and for nothing, and the padding, too.

DO $do$
BEGIN
    IF pg_catalog.to_regtype('@extschema@.packed') IS NULL THEN
        -- Bytes that are kept outside the row, as they are.
        CREATE TYPE @extschema@.packed;
        CREATE FUNCTION @extschema@.packed_in(cstring) RETURNS @extschema@.packed
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteain';
        CREATE FUNCTION @extschema@.packed_out(@extschema@.packed) RETURNS cstring
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteaout';
        CREATE FUNCTION @extschema@.packed_recv(internal) RETURNS @extschema@.packed
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'bytearecv';
        CREATE FUNCTION @extschema@.packed_send(@extschema@.packed) RETURNS bytea
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';
        CREATE TYPE @extschema@.packed (
            INPUT = @extschema@.packed_in, OUTPUT = @extschema@.packed_out,
            RECEIVE = @extschema@.packed_recv, SEND = @extschema@.packed_send,
            INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
        );
        CREATE CAST (@extschema@.packed AS bytea) WITHOUT FUNCTION AS IMPLICIT;
        CREATE CAST (bytea AS @extschema@.packed) WITHOUT FUNCTION;

        -- Text that stays in the row, as it is.
        CREATE TYPE @extschema@.padding;
        CREATE FUNCTION @extschema@.padding_in(cstring) RETURNS @extschema@.padding
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textin';
        CREATE FUNCTION @extschema@.padding_out(@extschema@.padding) RETURNS cstring
        LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textout';
        CREATE FUNCTION @extschema@.padding_recv(internal) RETURNS @extschema@.padding
        LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textrecv';
        CREATE FUNCTION @extschema@.padding_send(@extschema@.padding) RETURNS bytea
        LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textsend';
        CREATE TYPE @extschema@.padding (
            INPUT = @extschema@.padding_in, OUTPUT = @extschema@.padding_out,
            RECEIVE = @extschema@.padding_recv, SEND = @extschema@.padding_send,
            INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = plain
        );
        CREATE CAST (text AS @extschema@.padding) WITHOUT FUNCTION;
    END IF;
END
$do$;

COMMENT ON TYPE @extschema@.packed IS 'internal: bytes stored outside the row, uncompressed';
COMMENT ON TYPE @extschema@.padding IS 'internal: text that fills a page, so that a row has one to itself';
COMMENT ON CAST (@extschema@.packed AS bytea) IS 'internal: the same bytes';
COMMENT ON CAST (bytea AS @extschema@.packed) IS 'internal: the same bytes';
COMMENT ON CAST (text AS @extschema@.padding) IS 'internal: the same text';
COMMENT ON FUNCTION @extschema@.packed_in(cstring) IS 'internal: input of packed';
COMMENT ON FUNCTION @extschema@.packed_out(@extschema@.packed) IS 'internal: output of packed';
COMMENT ON FUNCTION @extschema@.packed_recv(internal) IS 'internal: binary input of packed';
COMMENT ON FUNCTION @extschema@.packed_send(@extschema@.packed) IS 'internal: binary output of packed';
COMMENT ON FUNCTION @extschema@.padding_in(cstring) IS 'internal: input of padding';
COMMENT ON FUNCTION @extschema@.padding_out(@extschema@.padding) IS 'internal: output of padding';
COMMENT ON FUNCTION @extschema@.padding_recv(internal) IS 'internal: binary input of padding';
COMMENT ON FUNCTION @extschema@.padding_send(@extschema@.padding) IS 'internal: binary output of padding';
