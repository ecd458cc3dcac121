// The official TypeScript SDK, major version 2, asked back by its server, in both eras of the protocol.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { hears, main } from "./_exchanges.mjs";

await main(async ({ command, env, url, era, answer }) => {
  const heard = {};
  const client = new Client(
    { name: "visitor", version: "1" },
    { capabilities: { sampling: {}, elicitation: {}, roots: {} }, versionNegotiation: { mode: era } },
  );
  client.setRequestHandler("sampling/createMessage", ({ params }) => {
    hears(heard, "sampling", params.messages[0].content.text);
    return { role: "assistant", model: "m", content: { type: "text", text: "on its way" } };
  });
  client.setRequestHandler("elicitation/create", ({ params }) => {
    hears(heard, "elicitation", params.message);
    return { action: "accept", content: answer };
  });
  client.setRequestHandler("roots/list", () => {
    hears(heard, "roots", "asked");
    return { roots: [{ uri: "file:///orders" }] };
  });
  client.setNotificationHandler("notifications/message", ({ params }) => hears(heard, "logging", params.data));
  client.setNotificationHandler("notifications/tools/list_changed", () => hears(heard, "list changes", "tools"));
  await client.connect(
    url
      ? new StreamableHTTPClientTransport(new URL(url))
      : new StdioClientTransport({ command: command[0], args: command.slice(1), env, stderr: "ignore" }),
  );
  const spoken = client.getNegotiatedProtocolVersion();
  return {
    heard,
    era: spoken,
    // In the newer era a server logs only for requests that ask for it.
    result: (name, given, options) =>
      client.callTool({ name, arguments: given, _meta: { "io.modelcontextprotocol/logLevel": "info" } }, options),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    listen: async () => {
      if (spoken < "2026") return undefined;
      const subscription = await client.listen({ toolsListChanged: true });
      return () => subscription.close();
    },
    close: () => client.close(),
  };
});
