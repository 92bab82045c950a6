package page

import (
	"fmt"
	"maps"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/view"
)

// stepEvaluation evaluates the expressions of a step at one of its places: the step itself, an item, a turn.
type stepEvaluation struct {
	evaluation
	step   *graph.Step
	is     part
	inner  bool               // nothing is inside the place but a block: what the step does, it does here
	result value.Value        // of the place
	ended  bool               // it has one
	back   *expressions.Scope // of the return of a block; nil: the place is no block, or not known
	waits  []string           // the steps that have to end before the step starts and have not
}

// part is what a place of a step is.
type part int

const (
	wholeStep part = iota
	itemPart
	turnPart
)

// partOf returns what the last name of an address is.
func partOf(at execution.Address) part {
	outer := at.Outer()
	switch {
	case outer != at && at[len(outer)] == '@':
		return turnPart
	case at.IsCounted():
		return itemPart
	}
	return wholeStep
}

// stepEvaluation returns the evaluation of a place of a step.
func (e evaluation) ofStep(now runState, p place, step *graph.Step) stepEvaluation {
	at := p.address()
	out := stepEvaluation{evaluation: e, step: step, is: partOf(at), waits: now.waitsFor(p)}
	switch out.is {
	case wholeStep:
		out.inner = step.Each == nil && step.Repeat == nil
	case itemPart:
		out.inner = step.Repeat == nil
	case turnPart:
		out.inner = true
	}
	if rec, ended := now.record(p); ended && rec.Error == nil {
		out.result, out.ended = rec.Output, true
	}
	if block, isBlock := step.Node.(*graph.Steps); isBlock && out.inner && out.ended {
		out.back, _ = now.history.ScopeOfReturn(e.ctx, now.graph, block, at)
	}
	return out
}

// waitsFor returns the ids of the steps that have to end before a step starts and have not.
func (r *runState) waitsFor(p place) (ids []string) {
	step, block := r.step(p), r.graphOf(p.Frame).Steps()
	at := p.address()
	if step == nil || partOf(at) != wholeStep {
		return nil
	}
	if outer := placeAt(at.Outer()); outer.Part != "" {
		block, _ = r.step(outer).Node.(*graph.Steps)
	}
	needs := execution.OrderOf(r.graphOf(p.Frame), r.history.Changing(), nil).Needs(block)
	for i, s := range block.Block {
		if s != step {
			continue
		}
		for _, before := range needs[i] {
			id := block.Block[before].ID
			if _, ended := r.history.Record(at.Outer() + execution.Address("."+id)); !ended {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// expressions returns the expressions of the step, with the values that they have at the place.
func (e stepEvaluation) expressions() (all []expressionJSON) {
	for _, expr := range view.StepExpressions(e.step) {
		scope, own := e.sees(expr.Key)
		if scope == nil {
			continue // it is evaluated at another place
		}
		known := own && len(e.waits) == 0
		gives := known && expr.Key != "transform" && expr.Key != "message"
		out, _ := e.one(expr, scope, known, gives)
		if out.bare(); expr.Key == "return" && !known {
			out.Reads = []readJSON{} // of steps that are not those of this place
		}
		all = append(all, out)
	}
	return all
}

// sees returns the scope of one of the expressions of the step at the place; nil where it is of no interest. own: it
// is evaluated there.
func (e stepEvaluation) sees(key string) (scope *expressions.Scope, own bool) {
	switch key {
	case "if", "each":
		if e.is != wholeStep {
			return nil, false
		}
		return e.scope, true
	case "key":
		return e.scope, e.is == itemPart
	case "until":
		if e.is == turnPart {
			return nil, false
		}
		return e.withResult(), e.is == itemPart && e.ended
	case "repeat.until":
		return e.withResult(), e.is == turnPart && e.ended
	case "return":
		if e.back != nil {
			return e.back, true
		}
		return e.scope, false
	case "args", "transform", "message":
		return e.scope, e.inner
	}
	return e.scope, false
}

// withResult is the scope with the value of the place as $result.
func (e stepEvaluation) withResult() *expressions.Scope {
	if !e.ended || e.is == wholeStep {
		return e.scope
	}
	scope := *e.scope
	scope.Variables = maps.Clone(scope.Variables)
	scope.Variables[expressions.VarResult] = e.result
	return &scope
}

// runs reports whether the if of a step holds that has not run.
func (e stepEvaluation) runs() (holds, known bool, err error) {
	if e.step.If == nil || e.is != wholeStep || len(e.waits) > 0 {
		return true, false, nil
	}
	holds, err = e.step.If.Holds(e.ctx, e.scope)
	return holds, err == nil, err
}

// foreseen returns what a step that has not run would give, as far as that can be known: the items of an each, the
// value of an expression.
func (e stepEvaluation) foreseen() (v value.Value, known bool, err error) {
	holds, _, err := e.runs()
	switch t, isExpr := e.step.Node.(*graph.Transform); {
	case err != nil:
		return nil, true, err
	case !holds || len(e.waits) > 0:
		return nil, false, nil
	case e.is == wholeStep && e.step.Each != nil:
		items, err := e.step.Each.List(e.ctx, e.scope)
		return items, true, err
	case isExpr && e.inner:
		v, err = t.Expr.Eval(e.ctx, e.scope)
		return v, true, err
	}
	return nil, false, nil
}

// foreseenAt returns what a place that has not run would give; it is not known for others.
func (e evaluation) foreseenAt(now runState, p place) (v value.Value, known bool, err error) {
	if step := now.step(p); step != nil {
		return e.ofStep(now, p, step).foreseen()
	}
	node := now.node(p)
	if node == nil || node.Type() == config.StepsNode {
		return nil, false, nil
	}
	return e.foreseen(node, p.Part)
}

// addStep adds to a detail what a step has and no node.
func (d *detailJSON) addStep(e stepEvaluation) {
	d.Expressions = append(d.Expressions, e.expressions()...)
	if !d.Pending {
		return
	}
	if e.step.Each != nil && e.is == wholeStep {
		d.ForeseenIs = "Items"
	}
	if d.State != "none" {
		d.WaitsFor = e.waits
	}
	if holds, known, err := e.runs(); err != nil {
		d.ForeseenError = e.redact(fmt.Sprint(err))
	} else if known {
		d.WouldRun = &holds
	}
}
