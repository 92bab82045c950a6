package cli

import (
	"fmt"
	"strconv"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// outlookJSON is the answer of retention show. Its last rule has no condition: its days are of the runs that no other rule
// selects, and its maxBytes of all runs together.
type outlookJSON struct {
	Recorded bool                  `json:"recorded"` // in the store; else the values are those of toolgraph serve
	Rules    []shareJSON           `json:"rules"`
	Leader   *journal.Process      `json:"leader,omitempty"`
	Until    time.Time             `json:"leaderUntil,omitzero"`
	Passed   time.Time             `json:"lastPass,omitzero"`
	Deleted  int64                 `json:"deletedRuns"`
	Freed    int64                 `json:"deletedBytes"`
	Exempt   map[string]exemptJSON `json:"exempt"`
}

type shareJSON struct {
	journal.Selector
	Days     int       `json:"days"`     // 0: no limit
	MaxBytes int64     `json:"maxBytes"` // 0: no limit
	Runs     int64     `json:"runs"`
	Bytes    int64     `json:"bytes"`
	Oldest   time.Time `json:"oldest,omitzero"` // when it began
	Due      int64     `json:"dueRuns"`         // which the next pass deletes
	DueBytes int64     `json:"dueBytes"`
}

type exemptJSON struct {
	Runs int       `json:"runs"`
	Old  int       `json:"old"`
	Last time.Time `json:"idleSince,omitzero"` // of the one that has done nothing for the longest time
}

// exempt are the runs that retention never deletes, by what people call them.
func exempt(c *journal.Census) []struct {
	name, key string
	journal.Counted
} {
	return []struct {
		name, key string
		journal.Counted
	}{{"in progress", "running", c.Running}, {"waiting", "waiting", c.Waiting}, {"interrupted", "interrupted", c.Interrupted}, {"in doubt", "inDoubt", c.InDoubt}}
}

func outlookOf(o *journal.Outlook) *outlookJSON {
	out := &outlookJSON{
		Recorded: o.HasOwn, Leader: o.Leader, Until: o.Until, Passed: o.Passed, Deleted: o.Deleted, Freed: o.Freed, Exempt: map[string]exemptJSON{},
	}
	for _, s := range o.Shares {
		out.Rules = append(out.Rules, shareJSON{s.Selector, daysOf(s.MaxAge), s.MaxBytes, s.Runs, s.Bytes, s.Oldest, s.Due, s.DueBytes})
	}
	for _, e := range exempt(&o.Exempt) {
		out.Exempt[e.key] = exemptJSON{e.Runs, e.Old, e.Last}
	}
	return out
}

func printOutlook(std program.Streams, o *journal.Outlook) error {
	if !o.HasOwn {
		fmt.Fprintln(std.Out, "the store has no policy; toolgraph serve deletes by its defaults:")
	}
	rows := [][]string{{"runs of", "days", "bytes", "runs", "size", "oldest", "next"}}
	for i, s := range o.Shares {
		of := s.Selector.String()
		if i == len(o.Shares)-1 {
			if of = "all"; i > 0 {
				of = "all others"
			}
		}
		days := daysOf(s.MaxAge)
		rows = append(rows, []string{
			wording.OneLine(of), bound(int64(days), strconv.Itoa(days)), bound(s.MaxBytes, wording.Size(s.MaxBytes)),
			strconv.FormatInt(s.Runs, 10), bytesText(s.Bytes), when(s.Oldest), next(&s),
		})
	}
	if err := std.PrintTable(rows); err != nil {
		return err
	}
	if last := o.Shares[len(o.Shares)-1]; last.MaxBytes > 0 && len(o.Shares) > 1 {
		fmt.Fprintf(std.Out, "%s is the bound of all runs together\n", wording.Size(last.MaxBytes))
	}
	who := "no process deletes now"
	if o.Leader != nil {
		who = "process " + o.Leader.String() + " deletes"
	}
	if !o.Passed.IsZero() {
		who += ", last look " + when(o.Passed)
	}
	fmt.Fprintf(std.Out, "%s; so far %s, %s\n", who, wording.Count(int(o.Deleted), "run"), bytesText(o.Freed))
	for _, e := range exempt(&o.Exempt) {
		if e.Runs == 0 {
			continue
		}
		line := fmt.Sprintf("never deleted: %s %s, idle since %s at the longest", wording.Count(e.Runs, "run"), e.name, when(e.Last))
		if e.Old > 0 {
			line += fmt.Sprintf("; %d old, see toolgraph runs list --old", e.Old)
		}
		fmt.Fprintln(std.Out, line)
	}
	return nil
}

func daysOf(age time.Duration) int { return int(age / (24 * time.Hour)) }

// bound returns the text of a bound; 0 is none.
func bound(n int64, text string) string {
	if n == 0 {
		return "-"
	}
	return text
}

// when returns a time of the user's zone; the zero time is none.
func when(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Local().Format(time.DateTime)
}

// next says what the next pass deletes, or when the oldest run is too old.
func next(s *journal.Share) string {
	switch {
	case s.Due > 0:
		return "now " + wording.Count(int(s.Due), "run") + ", " + bytesText(s.DueBytes)
	case s.MaxAge > 0 && !s.Oldest.IsZero():
		return when(s.Oldest.Add(s.MaxAge))
	}
	return "-"
}

// bytesText returns a number of bytes in the largest binary unit of which there is one.
func bytesText(n int64) string {
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " B"
	}
	size, units := float64(n)/(1<<10), []string{"KiB", "MiB", "GiB", "TiB"}
	for size >= 1<<10 && len(units) > 1 {
		size, units = size/(1<<10), units[1:]
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + " " + units[0]
}
