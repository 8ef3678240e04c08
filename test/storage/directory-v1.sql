CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE project (
    seq INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL UNIQUE,
    listed_at_ms INTEGER NOT NULL
  ) STRICT;
INSERT INTO schema_version (version) VALUES (1);
INSERT INTO project (seq, project_id, listed_at_ms) VALUES (1, 'prj_ae881c674dbf68a68b9c', 4102444800175);
