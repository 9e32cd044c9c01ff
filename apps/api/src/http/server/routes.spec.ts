import { describe, expect, it } from '@jest/globals';
import { recordOfPath } from './routes.js';

const CALL = '018f0000-0000-7000-8000-000000000000';

describe('the record that a path names', () => {
  it.each<[string, Record<string, string>, ReturnType<typeof recordOfPath>]>([
    ['/api/v1/calls', {}, undefined],
    ['/api/v1/recordings/:callId', { callId: CALL }, undefined],
    ['/api/v1/calls/:callId/events', { callId: CALL }, { name: 'Call', place: { table: 'calls', id: CALL } }],
    ['/api/v1/calls/:callId', { callId: 'x' }, { name: 'Call', place: undefined }],
    ['/api/v1/agents/:agent_id/tools', { agent_id: '7' }, { name: 'Agent', place: { table: 'agents', id: 7 } }],
    [
      '/api/v1/agents/:agent_id/tools/:id/invoke',
      { agent_id: '7', id: '9' },
      { name: 'Tool', place: { table: 'tools', id: 9, agentId: 7 } },
    ],
    ['/api/v1/agents/:agent_id/tools/:id', { agent_id: '07', id: '9' }, { name: 'Tool', place: undefined }],
    ['/api/v1/tokens/:id/rotate', { id: '99999999999' }, { name: 'Token', place: undefined }],
  ])('%s %j', (template, params, expected) => {
    expect(recordOfPath(template, params)).toEqual(expected);
  });
});
