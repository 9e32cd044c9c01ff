import { SandboxServer } from '../src/server/sandbox-server.js';
import { readScript, scriptId } from '../src/server/script.js';
import { speech } from './user-speech.js';

export const STORY = 'Once upon a time there was a pot of tea. '.repeat(8).trim();

/** For clients of the emulated text models. */
export const MODEL_SCRIPT = {
  agent: { name: 'Ada' },
  rules: [
    { on: 'opening', say: 'Tea house, hello.' },
    {
      on: { text: 'weather in (\\w+) and (\\w+)' },
      say: 'Let me look.',
      call: [
        { tool: 'get_weather', arguments: { city: '{{match.1}}' } },
        { tool: 'get_weather', arguments: { city: '{{match.2}}' } },
      ],
    },
    { on: { text: 'weather in (\\w+)' }, call: { tool: 'get_weather', arguments: { city: '{{match.1}}' } } },
    { on: { tool: 'get_weather' }, say: 'The sky over {{result.city}} is {{result.sky}}.' },
    { on: { text: 'story' }, say: STORY },
    { on: { text: 'shop closes' }, say: 'So late?' },
    { on: { speech: 1 }, say: 'I heard you.' },
    { on: { speech: 2 }, say: 'Once more?' },
    { on: { digits: '12' }, say: 'You chose {{digits}}.' },
  ],
};

let servers: SandboxServer[] = [];

export async function aServer(script: object = {}): Promise<SandboxServer> {
  const server = await SandboxServer.start({ speech, script: readScript(script) });
  servers.push(server);
  return server;
}

export async function closeServers(): Promise<void> {
  for (const server of servers) await server.close();
  servers = [];
}

/** Registers a script; returns the name of its model. */
export async function registered(server: SandboxServer, script: object): Promise<string> {
  const body = JSON.stringify(script);
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/scripts/${scriptId(body)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.key}` },
    body,
  });
  return ((await response.json()) as { model: string }).model;
}
