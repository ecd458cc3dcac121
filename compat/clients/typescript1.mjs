// The official TypeScript SDK, major version 1.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const shown = [];
for (const { command, env, url, tool, arguments: given } of JSON.parse(readFileSync(0, "utf8"))) {
  const client = new Client({ name: "visitor", version: "1" });
  await client.connect(
    url
      ? new StreamableHTTPClientTransport(new URL(url))
      : new StdioClientTransport({ command: command[0], args: command.slice(1), env, stderr: "ignore" }),
  );
  await client.listTools();
  const { content, structuredContent } = await client.callTool({ name: tool, arguments: given });
  shown.push(JSON.stringify({ content, structuredContent }));
  await client.close();
}
console.log(JSON.stringify({ shown }));
