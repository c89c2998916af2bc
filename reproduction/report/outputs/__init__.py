"""The tables and figures, a module a topic; each module registers its own."""
