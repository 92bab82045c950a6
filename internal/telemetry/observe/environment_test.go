package observe

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSignalsOfTheEnvironment(t *testing.T) {
	for settings, expected := range map[string]string{
		"":                                  "true",
		"OTEL_SDK_DISABLED=True":            "false",
		"OTEL_SDK_DISABLED=1":               `OTEL_SDK_DISABLED is "1", expected true or false`,
		"OTEL_METRICS_EXPORTER=none":        "false",
		"OTEL_METRICS_EXPORTER=otlp":        "true",
		"OTEL_TRACES_EXPORTER=none":         "true",
		"OTEL_METRICS_EXPORTER=console":     `OTEL_METRICS_EXPORTER is "console", expected otlp or none`,
		"OTEL_METRICS_EXPORTER=prometheus":  `OTEL_METRICS_EXPORTER is "prometheus", expected otlp or none; Prometheus reads /metrics, which serve --http ADDR --metrics serves`,
		"OTEL_METRICS_EXPORTER=otlp,stdout": `OTEL_METRICS_EXPORTER is "otlp,stdout", expected otlp or none`,
	} {
		name, text, _ := strings.Cut(settings, "=")
		sent, err := isSent(func(variable string) string {
			if variable == name {
				return text
			}
			return ""
		}, "metrics")
		got := fmt.Sprint(sent)
		if err != nil {
			got = err.Error()
		}
		if got != expected {
			t.Errorf("%q gives %s, expected %s", settings, got, expected)
		}
	}
}

// A variable that is wrong fails the start, whichever signal it is about.
func TestNewRefusesSettings(t *testing.T) {
	for variable, text := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "grpc",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "x",
		"OTEL_SDK_DISABLED": "maybe", "OTEL_TRACES_SAMPLER": "bogus", "OTEL_BSP_MAX_QUEUE_SIZE": "abc", "OTEL_METRIC_EXPORT_INTERVAL": "-1",
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, text)
			if _, err := New(t.Context(), Options{Log: slog.New(slog.DiscardHandler), OTLP: true}); err == nil || !strings.HasPrefix(err.Error(), variable+" is ") {
				t.Error(err)
			}
		})
	}
}

func TestVariablesAreChecked(t *testing.T) {
	for settings, want := range map[string]string{
		"OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=0.5": "<nil>",
		"OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=NaN": `OTEL_TRACES_SAMPLER_ARG is "NaN", expected a number from 0 to 1`,
		"OTEL_TRACES_SAMPLER=always_on OTEL_TRACES_SAMPLER_ARG=x":      "<nil>", // it is not read
		"OTEL_BSP_SCHEDULE_DELAY=5000 OTEL_METRIC_EXPORT_TIMEOUT=0":    `OTEL_METRIC_EXPORT_TIMEOUT is "0", expected a number above 0`,
	} {
		env := map[string]string{}
		for setting := range strings.FieldsSeq(settings) {
			name, text, _ := strings.Cut(setting, "=")
			env[name] = text
		}
		if got := fmt.Sprint(checkVariables(func(name string) string { return env[name] })); got != want {
			t.Errorf("%s: %s, expected %s", settings, got, want)
		}
	}
}

// Headers are often secrets, so an error says which one is wrong and not what it is.
func TestHeadersAreChecked(t *testing.T) {
	for list, want := range map[string]string{
		"a=1, b=x%20y,": "map[a:1 b:x y]", "hunter2": "", "a=1,bad header=hunter2": "", "a=%0ahunter2": "", "a=%zzhunter2": "", "=hunter2": "",
	} {
		got, err := uploadHeaders("", list)
		switch {
		case want == "" && (err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_HEADERS")):
			t.Errorf("%q: %v, %v", list, got, err)
		case want != "" && (err != nil || fmt.Sprint(got) != want):
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}

// What the environment disables is not made.
func TestNothingIsSent(t *testing.T) {
	t.Setenv("OTEL_SDK_DISABLED", "true")
	got, err := New(t.Context(), Options{Log: slog.New(slog.DiscardHandler), OTLP: true})
	if got != nil || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = New(t.Context(), Options{Log: slog.New(slog.DiscardHandler), OTLP: true, Scraped: true})
	if err != nil || got.traces != nil || got.Handler() == nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// A collector that is down for an hour costs a line a minute.
func TestWarningsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		w := warnings{log: slog.New(slog.NewTextHandler(&text, nil))}
		for range 3600 {
			w.warn("it failed")
			time.Sleep(time.Second)
		}
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		if len(lines) != 60 || strings.Contains(lines[0], "left_out") || !strings.Contains(lines[59], "left_out=59") {
			t.Errorf("%d lines, the last is %s", len(lines), lines[len(lines)-1])
		}
	})
}
