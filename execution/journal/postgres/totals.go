package postgres

import "context"

// totals are the numbers and bytes of the runs that retention may delete. A statement trigger inserts what a statement has
// changed, in the transaction that changes the runs, also that of an earlier program; the numbers of a group are
// the sums of its rows. So no two transactions change one row: a batch waits for none, and cannot
// be in a deadlock. Who may change runs may change totals.
const totals = `CREATE TABLE totals (server text NOT NULL, tool text NOT NULL, status text NOT NULL, runs bigint NOT NULL, bytes bigint NOT NULL);
CREATE FUNCTION count_runs() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO totals SELECT server, tool, status, count(*), sum(bytes) FROM entered
		WHERE status NOT IN ('running', 'interrupted', 'deleting') AND failure NOT LIKE '{"code":"outcome-unknown",%' GROUP BY server, tool, status;
	ELSIF TG_OP = 'DELETE' THEN
		INSERT INTO totals SELECT server, tool, status, -count(*), -sum(bytes) FROM gone
		WHERE status NOT IN ('running', 'interrupted', 'deleting') AND failure NOT LIKE '{"code":"outcome-unknown",%' GROUP BY server, tool, status;
	ELSE
		INSERT INTO totals SELECT server, tool, status, sum(n), sum(n * bytes) FROM (
			SELECT server, tool, status, failure, bytes, 1 AS n FROM entered UNION ALL SELECT server, tool, status, failure, bytes, -1 FROM gone) AS changes
		WHERE status NOT IN ('running', 'interrupted', 'deleting') AND failure NOT LIKE '{"code":"outcome-unknown",%'
		GROUP BY server, tool, status HAVING sum(n) <> 0 OR sum(n * bytes) <> 0;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER count_inserted AFTER INSERT ON runs REFERENCING NEW TABLE AS entered FOR EACH STATEMENT EXECUTE FUNCTION count_runs();
CREATE TRIGGER count_updated AFTER UPDATE ON runs REFERENCING NEW TABLE AS entered OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_runs();
CREATE TRIGGER count_deleted AFTER DELETE ON runs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_runs();
INSERT INTO totals SELECT server, tool, status, count(*), sum(bytes) FROM runs
WHERE status NOT IN ('running', 'interrupted', 'deleting') AND failure NOT LIKE '{"code":"outcome-unknown",%' GROUP BY server, tool, status;
DO $$
DECLARE
	of record;
BEGIN
	FOR of IN SELECT CASE grantee WHEN 'PUBLIC' THEN grantee ELSE quote_ident(grantee) END AS who, privilege_type FROM information_schema.role_table_grants
		WHERE table_schema = current_schema() AND table_name = 'runs' AND grantee <> current_user LOOP
		EXECUTE format('GRANT %s ON totals TO %s', of.privilege_type, of.who);
	END LOOP;
END $$`

// tidyFrom is how many rows totals have when they are added up.
const tidyFrom = 256

// Tidy adds up the rows of totals. Those of transactions in progress stay; a second process that does the same finds nothing.
func (d *database) Tidy(ctx context.Context) error {
	conns, _, err := d.open(ctx, false)
	if err != nil {
		return err
	}
	var many bool
	if err := conns.QueryRow(ctx, `SELECT count(*) >= $1 FROM totals`, tidyFrom).Scan(&many); err != nil || !many {
		return err
	}
	_, err = conns.Exec(ctx, `WITH gone AS (DELETE FROM totals RETURNING *)
		INSERT INTO totals SELECT server, tool, status, sum(runs), sum(bytes) FROM gone GROUP BY server, tool, status HAVING sum(runs) <> 0 OR sum(bytes) <> 0`)
	return err
}
