package temporal

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/enums/v1"
)

// timesOf parses flags as the command does.
func timesOf(t *testing.T, args ...string) (*timesFlags, error) {
	t.Helper()
	f := &timesFlags{}
	cmd := &cobra.Command{}
	f.register(cmd)
	return f, cmd.ParseFlags(args)
}

func TestScheduleTimes(t *testing.T) {
	f, err := timesOf(t, "--cron", " 0 9  * * MON-FRI", "--cron", "@daily", "--every", "90m", "--offset", "5m", "--time-zone", "Europe/Berlin",
		"--jitter", "2m", "--from", "2026-01-31T15:04:05+01:00", "--until", "2026-02-01T00:00:00Z", "--overlap", "buffer-one")
	if err != nil {
		t.Fatal(err)
	}
	spec, policy, err := f.spec()
	if err != nil || policy != enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE || f.catchUp != time.Hour {
		t.Fatal(policy, f.catchUp, err)
	}
	if got := strings.Join(spec.CronExpressions, "|"); got != "0 9 * * MON-FRI # 0 9 * * MON-FRI|@daily # @daily" {
		t.Errorf("cron %q", got)
	}
	if i := spec.Intervals[0]; i.Every != 90*time.Minute || i.Offset != 5*time.Minute || spec.Jitter != 2*time.Minute || spec.TimeZoneName != "Europe/Berlin" {
		t.Errorf("%+v", spec)
	}
	if spec.StartAt.UTC().Format(time.RFC3339) != "2026-01-31T14:04:05Z" || spec.EndAt.IsZero() {
		t.Errorf("%v to %v", spec.StartAt, spec.EndAt)
	}
	if got := timesText(&spec); got != "every 1h30m after 5m" { // the calendars are Temporal's
		t.Errorf("text %q", got)
	}
}

func TestScheduleTimesWrong(t *testing.T) {
	for args, want := range map[string]string{
		"":                              "no times given; give --cron or --every",
		"--every 999ms":                 "--every is 999ms, expected at least 1s",
		"--every -1h":                   "--every is -1h0m0s, expected at least 1s",
		"--every 1h --offset 1h":        "--offset is 1h0m0s, expected less than --every, which is 1h0m0s",
		"--cron @daily --offset 1h":     "--offset is 1h0m0s, expected less than --every",
		"--every 1h --jitter -1s":       "--jitter is -1s, expected 0 or more",
		"--every 1h --catch-up 1s":      "--catch-up is 1s, expected at least 10s",
		"--every 1h --overlap skpi":     `--overlap is "skpi", expected skip, buffer-one, buffer-all, cancel-other or allow-all; did you mean "skip"?`,
		"--cron @every_5m":              "for intervals use --every",
		"--cron TZ=UTC_0_9_*_*_*":       "for a time zone --time-zone",
		"--cron 0_9_*_*_*_#_at_nine":    "without a comment",
		"--cron _":                      `--cron is "", expected five fields`,
		"--every 1h --time-zone Mars":   `--time-zone is "Mars", expected a name of the IANA database`,
		"--every 1h --time-zone Local":  `--time-zone is "Local", expected a name of the IANA database`,
		"--every 1h --from tomorrow":    `--from is "tomorrow", expected a time such as 2026-01-31T15:04:05Z`,
		"--every 1h --until 2026-01-01": `--until is "2026-01-01", expected a time`,
		"--every 1h --from 2026-02-01T00:00:00Z --until 2026-02-01T00:00:00Z": "expected a time after --from",
	} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", " ")
		}
		f, err := timesOf(t, words...)
		if err == nil {
			_, _, err = f.spec()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", args, err, want)
		}
	}
}

func TestScheduleID(t *testing.T) {
	for id, valid := range map[string]bool{"nightly": true, "a.b_c-9": true, strings.Repeat("a", 64): true, "": false, "a/b": false, "a b": false, "ä": false, strings.Repeat("a", 65): false} {
		if err := checkID(id); (err == nil) != valid {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Hour: "1h", 90 * time.Minute: "1h30m", 15 * time.Minute: "15m", 10 * time.Second: "10s", time.Hour + time.Second: "1h0m1s"} {
		if got := durationText(d); got != want {
			t.Errorf("%v: %s", want, got)
		}
	}
}
