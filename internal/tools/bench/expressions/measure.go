package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"time"
)

// plan is how much to measure.
type plan struct {
	rounds int
	span   time.Duration // of one engine's turn at a subject, at least
	only   *regexp.Regexp
}

// line is what was found of one subject over one input, a number for each round.
type line struct {
	Subject string    `json:"subject"`
	Input   string    `json:"input"`
	Own     []float64 `json:"own"`  // ns
	Node    []float64 `json:"node"` // ns; none without Node
}

// measure lets the engines take turns at every subject. other is nil without Node.
func measure(ctx context.Context, p plan, mine, other engine, all []*input) ([]*line, error) {
	var lines []*line
	for _, in := range all {
		for _, s := range subjects {
			if !p.only.MatchString(s.name + ", " + in.name) {
				continue
			}
			l := &line{Subject: s.name, Input: in.name}
			if err := l.fill(ctx, p, mine, other, s, in); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.name, in.name, err)
			}
			lines = append(lines, l)
		}
	}
	return lines, nil
}

func (l *line) fill(ctx context.Context, p plan, mine, other engine, s subject, in *input) error {
	if err := agree(ctx, mine, other, s, in); err != nil {
		return err
	}
	for round := -1; round < p.rounds; round++ { // the first is to warm up
		if err := ctx.Err(); err != nil {
			return err
		}
		ns, err := mine.measure(ctx, s, in, p.span)
		if err != nil {
			return err
		}
		if round >= 0 {
			l.Own = append(l.Own, ns)
		}
		if other == nil {
			continue
		}
		if ns, err = other.measure(ctx, s, in, p.span); err != nil {
			return err
		}
		if round >= 0 {
			l.Node = append(l.Node, ns)
		}
	}
	return nil
}

// agree is an error when the engines give different values.
func agree(ctx context.Context, mine, other engine, s subject, in *input) error {
	got, err := mine.value(ctx, s, in)
	if err != nil || other == nil {
		return err
	}
	want, err := other.value(ctx, s, in)
	if err != nil {
		return fmt.Errorf("on node: %w", err)
	}
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		return err
	}
	if err := json.Unmarshal(want, &b); err != nil {
		return err
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("the value is %.200s, on node %.200s", got, want)
	}
	return nil
}
