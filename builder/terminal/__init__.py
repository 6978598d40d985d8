"""What the commands of `skywright-builder` do and print, one small module a subject."""
