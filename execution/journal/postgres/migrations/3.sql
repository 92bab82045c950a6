-- Since this version the end of a run has what the run has used, and so has its row.
COMMENT ON COLUMN runs.facts IS 'JSON: question, questions, spilled, forkedFrom, used; empty for none of them';
