// The official TypeScript SDK, major version 2.
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const shown = [];
let spoken;
for (const { command, env, url, era, tool, arguments: given } of JSON.parse(readFileSync(0, "utf8"))) {
  const client = new Client({ name: "visitor", version: "1" }, { versionNegotiation: { mode: era } });
  await client.connect(
    url
      ? new StreamableHTTPClientTransport(new URL(url))
      : new StdioClientTransport({ command: command[0], args: command.slice(1), env, stderr: "ignore" }),
  );
  spoken = client.getNegotiatedProtocolVersion();
  await client.listTools();
  const { content, structuredContent } = await client.callTool({ name: tool, arguments: given });
  shown.push(JSON.stringify({ content, structuredContent }));
  await client.close();
}
console.log(JSON.stringify({ shown, era: spoken }));
