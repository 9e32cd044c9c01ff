import { describe, expect, it } from '@jest/globals';
import { subjectOf } from './audit-subject.js';

const NAMES = new Map([
  ['agent 7', 'Receptionist'],
  ['number 3', 'Main line'],
]);

describe('the subject of an audit event', () => {
  it.each([
    ['agent.updated', 'agent', '7', { name: 'Reception' }, 'agent Reception', '#/agents/7'],
    ['number.updated', 'number', '3', {}, 'number Main line', '#/numbers/3'],
    ['number.updated', 'number', '4', {}, 'number 4', undefined],
    ['agent.deleted', 'agent', '9', { name: 'Old' }, 'agent Old', undefined],
    ['agent_version.published', 'agent_version', '2', { agent_id: 7 }, 'agent version 2 of Receptionist', undefined],
    ['tool.created', 'tool', '5', { name: 'find', agent_id: 7 }, 'tool find of Receptionist', '#/tools/7/5'],
    ['tool.created', 'tool', '5', { name: 'find', agent_id: 8 }, 'tool find', undefined],
    ['call.cancelled', 'call', 'c1', {}, 'call c1', '#/calls/c1'],
  ])('of %s is named: %s %s', (action, kind, id, details, text, href) => {
    const found = subjectOf({ action, subject: { kind, id }, details }, NAMES);
    expect([`${found?.kind} ${found?.name}`, found?.href]).toEqual([text, href]);
  });

  it('is absent for events about nothing', () => {
    expect(subjectOf({ action: 'secret_key.rekeyed', subject: null, details: {} })).toBeNull();
  });
});
