import { describe, expect, it } from '@jest/globals';
import { kindOfField, noRecord, referenceProblem } from './references.js';

describe('a reference', () => {
  it.each([
    ['agent_id', 'agent'],
    ['agent_ids', 'agent'],
    ['transfer_caller_id_number_id', 'number'],
    ['expected_knowledge_base_id', 'knowledge base'],
    ['agent_version', 'version'],
    ['reassign_to', 'record'],
    ['', 'record'],
  ])('in %s is to a %s', (field, kind) => {
    expect(kindOfField(field)).toBe(kind);
  });

  it.each([
    [referenceProblem('agent', 7, true), undefined],
    [referenceProblem('agent', 7, false), { code: 'inactive', message: 'The agent 7 is not active.' }],
    [referenceProblem('agent', 7, null), { code: 'not_found', message: 'No agent 7 in this account.' }],
    [referenceProblem('tool', 7, null, 'agent'), { code: 'not_found', message: 'This agent has no tool 7.' }],
    [noRecord('version', 7), { code: 'not_found', message: 'This agent has no version 7.' }],
  ])('has a problem that names the record and its owner: %j', (problem, expected) => {
    expect(problem).toEqual(expected);
  });
});
