package config

// Plan lets clients send plans: steps of their own, which run as those of a tool do.
type Plan struct {
	Pos      Pos    // of the key; invalid when a flag has added it
	Calls    []Text // the tools of servers that plans may call, as in Allow.Calls; nil when missing: those that the file exposes
	Tools    []Text // the tools of this file that plans may call; nil when missing: all that clients see
	Effects  []Text // words of Effect: what calls of plans may do; nil when missing: everything
	Confirm  []Text // words of Effect: calls with these need the user's consent
	AskFlows bool   // so do calls that send what one server answered to another
	MaxSteps int    // default DefaultPlanSteps, at most MostPlanSteps; those of blocks count too
}

// The tools that clients get for plans.
const (
	RunPlan     = "run_plan"
	SearchTools = "search_tools"
)

// The defaults and limits of a Plan.
const (
	DefaultPlanSteps = 60
	MostPlanSteps    = 500
	MostPlanBytes    = 64 << 10 // of a plan as compact JSON
)

// NewPlan returns what plan: true means.
func NewPlan() *Plan {
	p := &Plan{MaxSteps: DefaultPlanSteps}
	for _, effect := range []Effect{WriteEffect, DestroyEffect} {
		p.Confirm = append(p.Confirm, Text{Value: string(effect)})
	}
	return p
}

var planForm = lazyForm(func() *form {
	return &form{
		name: "plan", doc: "Tools with which a client finds calls and sends plans: steps of its own, which are checked before anything is called.",
		keys: []key{
			{name: "calls", doc: "The tools of servers that plans may call, as server.tool; with a * at the end, whatever follows; default: those that expose lists.", value: listOf(textValue("files.read_text_file", "files.*"))},
			{name: "tools", doc: "The tools of this file that plans may call; default: all that clients see.", value: listOf(textValue())},
			{name: "effects", doc: "What calls of plans may do; one whose effect is not known counts as destroy. Default: everything.", value: listOf(oneOf(effectWords()...))},
			{name: "confirm", doc: "Effects that need the user's consent before the call; default: write and destroy.", value: listOf(oneOf(effectWords()...))},
			{name: "flows", doc: "With ask, a call that sends what one server answered to another needs the user's consent too, unless the other is trusted or known to reach nothing outside; default: free.", value: oneOf("free", "ask")},
			{name: "maxSteps", doc: "The largest number of steps in a plan, those of blocks included.", value: wholeNumber(DefaultPlanSteps, MostPlanSteps), badRange: true},
		},
	}
})

var planKey = key{
	name: "plan", common: true, doc: "Lists two more tools: search_tools, and run_plan, which runs steps that a client sends; true uses the defaults.",
	value: value{"anyOf": []any{value{"type": "boolean"}, formValue("plan")}},
}

// plan decodes the plan of the file; nil when it has none, and the option adds none.
func (d *decoder) plan(file *fields) *Plan {
	p := NewPlan()
	it := file.get("plan")
	if it == nil {
		if d.planned {
			return p
		}
		return nil
	}
	p.Pos = file.keyPos("plan")
	if it.kind != itemMapping {
		if file.switched("plan") || d.planned {
			return p
		}
		return nil
	}
	fs := d.open(it, planForm(), "plan")
	p.Calls, p.Tools, p.Effects, p.MaxSteps = fs.texts("calls"), fs.texts("tools"), fs.words("effects"), fs.integer("maxSteps")
	if fs.get("confirm") != nil {
		p.Confirm = fs.words("confirm")
	}
	if fs.get("flows") != nil {
		p.AskFlows = fs.word("flows") == "ask"
	}
	return p
}
