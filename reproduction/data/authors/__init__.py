"""The authors' released data: their file format and their serialised trees, read into records of ours.

Only `import-authors` needs it; nothing else of ours believes or imports it.
"""
