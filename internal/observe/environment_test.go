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
		"OTEL_SDK_DISABLED=1":               "true",
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
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, text)
			if _, err := New(t.Context(), Options{Log: slog.New(slog.DiscardHandler), OTLP: true}); err == nil || !strings.HasPrefix(err.Error(), variable+" is ") {
				t.Error(err)
			}
		})
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
