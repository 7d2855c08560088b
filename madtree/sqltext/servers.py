"""How the servers of a cluster are made to read what they are sent as this one does."""

from __future__ import annotations

import textwrap

from madtree.sqltext.owners import OTHERS_IN_PATH

# What Citus sends to the servers that hold the rows, and what it runs of it on this one, is text without the names of
# schemas that it finds by itself: it is read anew, where a function of somebody else's may fit a name better. So there
# pg_catalog alone is searched: any other schema may be another role's on one of the servers, who has made it before
# Citus did. Literals and texts of values mean there what they mean here, whatever is set there. jit goes off
# because compiling an expression of a thousand branches takes longer than a million rows. The sessions there are idle
# while this one computes, which is no reason to end them.
# Citus hands on what SET LOCAL says, if told to, where it begins a transaction on a server; but neither the settings
# in a function's definition, nor what was set in an earlier subtransaction, of which PL/Python makes one for each
# statement. So all that users call begins here, and so do the client engine's calls.
SET_UP_SERVERS = f"""
DECLARE
    before pg_catalog.text DEFAULT pg_catalog.current_setting('citus.propagate_set_commands', true);
    path pg_catalog.text DEFAULT pg_catalog.current_setting('search_path');
    idle pg_catalog.text DEFAULT pg_catalog.current_setting('idle_in_transaction_session_timeout');
    name pg_catalog.text;
BEGIN
    IF before IS NULL OR NOT EXISTS (
        SELECT FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'citus'
    ) THEN
        RETURN;
    END IF;
    -- Without the third, TRUNCATE would leave the rows on other servers where they are.
    FOREACH name IN ARRAY ARRAY[
        'citus.function_opens_transaction_block', 'citus.select_opens_transaction_block',
        'citus.enable_ddl_propagation'
    ] LOOP
        IF pg_catalog.current_setting(name, true) OPERATOR(pg_catalog.=) 'off' THEN
            PERFORM pg_catalog.set_config(name, 'on', true);
        END IF;
    END LOOP;
    IF EXISTS (
{textwrap.indent(OTHERS_IN_PATH.strip(), " " * 8)}
    ) THEN
        -- What Citus would run in this session it would read by its search path: so by a connection of its own.
        PERFORM pg_catalog.set_config('citus.enable_local_execution', 'off', true);
    END IF;
    PERFORM pg_catalog.set_config('citus.propagate_set_commands', 'local', true);
    SET LOCAL jit TO off;
    FOREACH name IN ARRAY ARRAY[
        'standard_conforming_strings', 'array_nulls', 'transform_null_equals', 'datestyle', 'intervalstyle',
        'timezone', 'extra_float_digits', 'bytea_output', 'xmlbinary', 'xmloption'
    ] LOOP
        EXECUTE pg_catalog.format('SET LOCAL %I TO %L', name, pg_catalog.current_setting(name));
    END LOOP;
    SET LOCAL search_path TO pg_catalog;
    PERFORM pg_catalog.set_config('search_path', path, true);
    SET LOCAL idle_in_transaction_session_timeout TO 0;
    PERFORM pg_catalog.set_config('idle_in_transaction_session_timeout', idle, true);
    PERFORM pg_catalog.set_config('citus.propagate_set_commands', before, true);
END"""
