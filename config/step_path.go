package config

import "strings"

// StepIDs returns the ids in the path of an execution of a step, outermost first: of users.3.job@2, which
// is turn 2 of step job for item 3 of step users, users and job.
func StepIDs(path string) []string {
	var ids []string
	for part := range strings.SplitSeq(path, ".") {
		id, _, _ := strings.Cut(part, "@")
		if id != "" && (id[0] < '0' || id[0] > '9') {
			ids = append(ids, id)
		}
	}
	return ids
}
