// Context measures how many tokens of a model's context jobs take that consist of many calls: with a call of each tool,
// with the tool pipeline, with a plan, with the same program in Starlark, and with a tool made of the plan. It uses three
// servers and a tokenizer of npm. It must not know what the program does inside: it speaks MCP, and runs commands.
package main
