package simulation

import (
	"regexp"
	"strings"
)

// A fleet is updated process by process, so two programs use a store at the same time. The earlier one here is this program as it
// would be without the expansions of the schema: its statements do not name them, it parks no runs, and it deletes none.

// expansions are the objects of the schema that earlier programs do not know.
var expansions = strings.Fields("in_doubt totals ended upkeep.leader runs.parked runs.due runs.rest parked adrift")

// knownExpansions lets an earlier program miss nothing in a schema.
var knownExpansions = "SELECT '" + strings.Join(expansions, "' AS name UNION ALL SELECT '") + "' AS name"

// unexpanded are the parts of statements that name expansions, and what an earlier program has in their place.
var unexpanded = strings.NewReplacer(
	`parked <> owner`, `TRUE`,
	`parked = owner`, `FALSE`,
	`, parked = ''`, ``,
	`RETURNING rest`, `RETURNING '' AS rest`,
	`, due FROM`, `, 0 AS due FROM`,
	`SELECT due FROM runs`, `SELECT 0 AS due FROM runs`,
)

var (
	// leaderNow reads who deletes old runs: for an earlier program another process does. countsTotals looks whether counters are added up.
	leaderNow    = regexp.MustCompile(`^SELECT leader, leads .*FROM upkeep$`)
	countsTotals = regexp.MustCompile(`^SELECT count\(\*\) >= .* FROM totals$`)
	// keepsRest is what a claim does with what a parked run waits for.
	keepsRest = regexp.MustCompile(`(?s),\s+rest = CASE WHEN parked = owner THEN rest ELSE '' END`)
)

// withoutExpansions returns a statement as an earlier program sends it.
func withoutExpansions(text string) string {
	switch {
	case leaderNow.MatchString(text):
		return `SELECT 'another' AS leader, 60000000 AS leads, 0 AS passed`
	case countsTotals.MatchString(text):
		return `SELECT 0 >= 1`
	}
	return unexpanded.Replace(keepsRest.ReplaceAllString(text, ``))
}

// isEarlier draws whether the next process is of the earlier program: in an update the first ones are, and some of those that
// are started again, since an update may be taken back.
func (f *fleet) isEarlier() bool {
	return f.upgrades && (f.started <= len(f.processes) || f.started%4 == 0)
}

// notesExpansion notes that the schema of an earlier program is expanded. An earlier program that expands it is not one.
func (s *pgServer) notesExpansion(c *pgConn, text string) {
	isExpansion := strings.Contains(text, "ALTER TABLE upkeep ADD COLUMN leader")
	if c.owner.earlier && isExpansion {
		s.breaks(engineKind, "an earlier program expands the schema: %.60s", text)
	}
	s.isUsed = s.isUsed || c.owner.earlier
	s.expanded = s.expanded || s.isUsed && isExpansion
}
