"""treelace turns web sites into tables with a history."""
