// The official TypeScript SDK, major version 1, asked back by its server.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as types from "@modelcontextprotocol/sdk/types.js";
import { hears, main } from "./_exchanges.mjs";

await main(async ({ command, env, url, answer }) => {
  const heard = {};
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const client = new Client({ name: "visitor", version: "1" }, { capabilities });
  client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => {
    hears(heard, "sampling", params.messages[0].content.text);
    return { role: "assistant", model: "m", content: { type: "text", text: "on its way" } };
  });
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => {
    hears(heard, "elicitation", params.message);
    return { action: "accept", content: answer };
  });
  client.setRequestHandler(types.ListRootsRequestSchema, () => {
    hears(heard, "roots", "asked");
    return { roots: [{ uri: "file:///orders" }] };
  });
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => hears(heard, "logging", params.data));
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => hears(heard, "list changes", "tools"));
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command: command[0], args: command.slice(1), env, stderr: "ignore" });
  let era = "";
  transport.setProtocolVersion = ((before) => (version) => {
    era = version;
    before?.call(transport, version);
  })(transport.setProtocolVersion);
  await client.connect(transport);
  return {
    heard,
    era,
    result: (name, given, options) => client.callTool({ name, arguments: given }, undefined, options),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    listen: async () => {},
    close: () => client.close(),
  };
});
