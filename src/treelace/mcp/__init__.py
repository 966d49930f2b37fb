"""Sites for assistants: what `Site` answers, by the Model Context Protocol over stdio."""
