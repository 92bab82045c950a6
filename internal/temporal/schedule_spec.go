package temporal

import (
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // machines may have no database of time zones

	"github.com/spf13/cobra"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// timesFlags say when a schedule starts runs.
type timesFlags struct {
	cron          []string
	every, offset time.Duration
	zone          string
	jitter        time.Duration
	catchUp       time.Duration
	from, until   string
	overlap       string
}

func (f *timesFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.cron, "cron", nil, "`times` as minute, hour, day of month, month and day of week, such as \"0 9 * * MON-FRI\", or @daily; may be repeated")
	flags.DurationVar(&f.every, "every", 0, "`interval` between runs, counted from the beginning of 1970, such as 15m or 24h")
	flags.DurationVar(&f.offset, "offset", 0, "`time` after the beginning of each interval of --every")
	flags.StringVar(&f.zone, "time-zone", "", "IANA `name` of the time zone of --cron, such as Europe/Berlin (default UTC)")
	flags.DurationVar(&f.jitter, "jitter", 0, "start each run up to this `time` later, at random")
	flags.DurationVar(&f.catchUp, "catch-up", defaultCatchUp, "start a run that was missed while the Temporal server was down at most this `time` later")
	flags.StringVar(&f.from, "from", "", "no run before this `time`, such as 2026-01-31T15:04:05Z")
	flags.StringVar(&f.until, "until", "", "no run after this `time`")
	flags.StringVar(&f.overlap, "overlap", overlaps[0].name, "what happens while the run before has not ended: "+overlapNames())
}

// defaultCatchUp is short, because a run is rarely wanted a year late, which is the default of
// Temporal.
const defaultCatchUp = time.Hour

// minEvery is the shortest interval. Temporal rounds times to seconds.
const minEvery = time.Second

// overlaps are the policies of Temporal; the first is the default.
var overlaps = []struct {
	name, does string
	policy     enums.ScheduleOverlapPolicy
}{
	{"skip", "start none", enums.SCHEDULE_OVERLAP_POLICY_SKIP},
	{"buffer-one", "start one when it has ended", enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE},
	{"buffer-all", "start all, one after the other", enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ALL},
	{"cancel-other", "cancel it, then start", enums.SCHEDULE_OVERLAP_POLICY_CANCEL_OTHER},
	{"allow-all", "start at once", enums.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL},
}

func overlapNames() string {
	var all []string
	for _, o := range overlaps {
		all = append(all, o.name+" ("+o.does+")")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// policyOf returns the overlap policy with a name.
func policyOf(name string) (enums.ScheduleOverlapPolicy, error) {
	var names []string
	for _, o := range overlaps {
		if o.name == name {
			return o.policy, nil
		}
		names = append(names, o.name)
	}
	return 0, program.Usagef("--overlap is %s, expected %s%s", wording.Quote(name), wording.Or(names), wording.Suggest(name, names))
}

func overlapOf(policy enums.ScheduleOverlapPolicy) string {
	for _, o := range overlaps {
		if o.policy == policy {
			return o.name
		}
	}
	return policy.String() // one that another client has set
}

// spec returns the times in the words of Temporal, which checks cron expressions. Each one is its own
// comment, because Temporal stores only what it means.
func (f *timesFlags) spec() (client.ScheduleSpec, enums.ScheduleOverlapPolicy, error) {
	spec := client.ScheduleSpec{Jitter: f.jitter, TimeZoneName: f.zone}
	policy, err := policyOf(f.overlap)
	switch {
	case err != nil:
		return spec, policy, err
	case len(f.cron) == 0 && f.every == 0:
		return spec, policy, program.Usagef("no times given; give --cron or --every")
	case f.every != 0 && f.every < minEvery:
		return spec, policy, program.Usagef("--every is %v, expected at least %v", f.every, minEvery)
	case f.offset < 0 || f.offset > 0 && f.offset >= f.every:
		return spec, policy, program.Usagef("--offset is %v, expected less than --every, which is %v", f.offset, f.every)
	case f.jitter < 0:
		return spec, policy, program.Usagef("--jitter is %v, expected 0 or more", f.jitter)
	case f.catchUp < minCatchUp:
		return spec, policy, program.Usagef("--catch-up is %v, expected at least %v, which is the least of Temporal", f.catchUp, minCatchUp)
	}
	for _, text := range f.cron {
		text = strings.Join(strings.Fields(text), " ")
		if text == "" || strings.ContainsAny(text, "#=") || strings.HasPrefix(text, "@every") {
			return spec, policy, program.Usagef("--cron is %s, expected five fields, such as \"0 9 * * MON-FRI\", without a comment; for intervals use --every, for a time zone --time-zone", wording.Quote(text))
		}
		spec.CronExpressions = append(spec.CronExpressions, text+" # "+text)
	}
	if f.every > 0 {
		spec.Intervals = []client.ScheduleIntervalSpec{{Every: f.every, Offset: f.offset}}
	}
	if _, err := time.LoadLocation(f.zone); err != nil || f.zone == "Local" {
		return spec, policy, program.Usagef("--time-zone is %s, expected a name of the IANA database, such as Europe/Berlin", wording.Quote(f.zone))
	}
	if spec.StartAt, err = timeOf("--from", f.from); err == nil {
		spec.EndAt, err = timeOf("--until", f.until)
	}
	if err == nil && !spec.EndAt.IsZero() && !spec.EndAt.After(spec.StartAt) {
		err = program.Usagef("--until is %s, expected a time after --from, which is %s", f.until, f.from)
	}
	return spec, policy, err
}

// minCatchUp is the least that Temporal accepts.
const minCatchUp = 10 * time.Second

func timeOf(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, program.Usagef("%s is %s, expected a time such as 2026-01-31T15:04:05Z or 2026-01-31T15:04:05+01:00", flag, wording.Quote(text))
	}
	return at, nil
}

// maxScheduleID keeps the ids of runs, which begin with it, short.
const maxScheduleID = 64

// checkID accepts what can begin the id of a run: in addresses, in file names and on command lines.
func checkID(id string) error {
	if id == "" || len(id) > maxScheduleID || strings.ContainsFunc(id, notInKeyID) {
		return program.Usagef("the id of the schedule is %s, expected 1 to %d letters, digits and any of .-_", wording.Quote(id), maxScheduleID)
	}
	return nil
}

// timesText says when a schedule starts runs, in one line.
func timesText(spec *client.ScheduleSpec) string {
	var all []string
	for _, c := range spec.Calendars {
		all = append(all, cronText(c))
	}
	for _, i := range spec.Intervals {
		text := "every " + durationText(i.Every)
		if i.Offset > 0 {
			text += " after " + durationText(i.Offset)
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return "never"
	}
	return strings.Join(all, "; ")
}

// cronText returns the cron expression that a calendar was made of; one that another client has
// made is only counted.
func cronText(c client.ScheduleCalendarSpec) string {
	if c.Comment != "" {
		return c.Comment
	}
	return "a calendar of another client"
}

// durationText is a duration without zeros at its end: 15m, not 15m0s.
func durationText(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// text returns the times as they were given.
func (f *timesFlags) text() string {
	all := slices.Clone(f.cron)
	if f.every > 0 {
		all = append(all, "every "+durationText(f.every))
	}
	return strings.Join(all, "; ")
}
