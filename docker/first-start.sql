-- Run once, by the image's entry point as the superuser, in the database that POSTGRES_DB names.
CREATE EXTENSION madtree CASCADE;

-- As in madtree's private server: the functions can be called without their schema.
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = "$user", public, madtree', current_database());
END
$$;
