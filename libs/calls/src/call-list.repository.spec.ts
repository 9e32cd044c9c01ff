import { describe, expect, it } from '@jest/globals';
import { readCursor, writeCursor } from '@app/database';
import { callListCondition } from './call-list.repository.js';

const ID = '01890000-0000-7000-8000-000000000001';

describe('a search in the list of calls', () => {
  it.each([
    ['a whole id', ID, 'id', ID],
    ['a whole number', '+1 (555) 000-1111', 'whole', '+15550001111'],
    ['a part of a number', '555-0001', 'part', '%5550001%'],
    ['a part with a plus sign', '+1555', 'part', '%+1555%'],
    ['a part of a SIP URI', 'sip:ans', 'part', '%sip:ans%'],
    ['wildcards of LIKE', '50%_\\', 'part', '%50\\%\\_\\\\%'],
    ['punctuation alone', '()', 'part', '%()%'],
  ])('accepts %s', (_name, search, shape, value) => {
    expect(callListCondition(1, { search })).toMatchObject({ shape, values: [1, value] });
  });

  it('for a number of the account also finds the calls from that number', () => {
    const { sql, values } = callListCondition(1, { search: '0001', direction: 'outbound' }, [7, 8]);
    const otherSide = "to_number ILIKE $3 OR (direction = 'inbound' AND from_number ILIKE $3)";
    expect(sql).toBe(`account_id = $1 AND direction = $2 AND (${otherSide} OR number_id = ANY ($4::integer[]))`);
    expect(values).toEqual([1, 'outbound', '%0001%', [7, 8]]);
  });

  it('for text is planned with its values, and for an id it is a prepared statement', () => {
    const part = callListCondition(1, { search: '0001' });
    expect(part.plannedByValues).toBe(true);
    expect(part.walkedSql).toContain(`to_number || '' ILIKE $2`);
    const id = callListCondition(1, { search: ID });
    expect([id.plannedByValues, id.walkedSql]).toEqual([false, undefined]);
  });

  it('numbers its parameters after those of the other filters', () => {
    const { sql, values } = callListCondition(9, { agentId: 2, status: 'busy', search: ID });
    expect(sql).toBe('account_id = $1 AND agent_id = $2 AND status = $3 AND id = $4::uuid');
    expect(values).toEqual([9, 2, 'busy', ID]);
  });
});

describe('a cursor', () => {
  it.each(['older', 'newer'] as const)('survives encoding and decoding: %s', (direction) => {
    const cursor = { micros: '1767323045678901', id: ID, direction };
    expect(readCursor(writeCursor(cursor))).toEqual(cursor);
  });

  it.each(['', 'x', Buffer.from('o1_x').toString('base64url'), Buffer.from(`o1' OR 1_${ID}`).toString('base64url')])(
    '%j is not a cursor',
    (text) => expect(readCursor(text)).toBeUndefined(),
  );
});
