import { describe, expect, it } from '@jest/globals';
import { AgentId, CallId, PathId, recordOfPath } from './path-params.js';

const CALL = '018f0000-0000-7000-8000-000000000000';

class Routes {
  list(): void {}
  events(@CallId() _callId: string): void {}
  tools(@AgentId() _agentId: number): void {}
  invoke(@AgentId() _agentId: number, @PathId('id', 'Tool', 'tools') _id: number): void {}
  rotate(@PathId('id', 'Token', 'api_tokens') _id: number): void {}
}

describe('the record that a path names', () => {
  it.each<[keyof Routes, Record<string, string>, ReturnType<typeof recordOfPath>]>([
    ['list', {}, undefined],
    ['events', { callId: CALL }, { name: 'Call', place: { table: 'calls', id: CALL } }],
    ['events', { callId: 'x' }, { name: 'Call', place: undefined }],
    ['tools', { agent_id: '7' }, { name: 'Agent', place: { table: 'agents', id: 7 } }],
    ['invoke', { agent_id: '7', id: '9' }, { name: 'Tool', place: { table: 'tools', id: 9, agentId: 7 } }],
    ['invoke', { agent_id: '07', id: '9' }, { name: 'Tool', place: undefined }],
    ['rotate', { id: '99999999999' }, { name: 'Token', place: undefined }],
  ])('%s %j', (route, params, expected) => {
    expect(recordOfPath(Routes.prototype[route], params)).toEqual(expected);
  });
});
