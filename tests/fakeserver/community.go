package main

import "encoding/json"

// The tools of a community, whose calls the diary has as "called TOOL ARGUMENTS".
//
//	channels_list     {n, size}: answers an object with n channels of about size bytes each
//	messages_send     {channel_id}: answers an object with the id of the message
//	events_create     {name}: answers an object with the id of the event; fails when name is "fail"
//	members_add_role  yields nothing
func communityTools() map[string]func(*call) {
	return map[string]func(*call){
		"channels_list": func(c *call) {
			c.note("called channels_list %s", c.args)
			c.structured(json.RawMessage(`{"channels":` + itemList(int(c.in.N), c.in.Size) + `}`))
		},
		"messages_send": func(c *call) {
			c.note("called messages_send %s", c.args)
			var in struct {
				Channel string `json:"channel_id"`
			}
			_ = json.Unmarshal(c.args, &in)
			answer, _ := json.Marshal(map[string]any{"message_id": "900000000000000005", "channel_id": in.Channel})
			c.structured(answer)
		},
		"events_create": func(c *call) {
			c.note("called events_create %s", c.args)
			if c.in.Name == "fail" {
				c.result(c.id, map[string]any{"isError": true, "content": texts("Missing Permissions")})
				return
			}
			answer, _ := json.Marshal(map[string]any{"event_id": "770000000000000006", "name": c.in.Name})
			c.structured(answer)
		},
		"members_add_role": func(c *call) {
			c.note("called members_add_role %s", c.args)
			c.contents(`[]`)
		},
	}
}
