"""How things are measured: tables, what is timed, taking turns, memory, the machine."""
