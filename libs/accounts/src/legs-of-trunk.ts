/** SQL: legs on the line of the trunk `t`, of calls and of transfers. */
export const LEGS_OF_TRUNK = `((SELECT count(*)::int FROM calls c WHERE c.account_id = t.account_id AND c.trunk_id = t.id
      AND c.owner IS NOT NULL AND c.ended_at IS NULL)
    + (SELECT count(*)::int FROM calls c WHERE c.account_id = t.account_id AND c.transfer_trunk_id = t.id AND c.ended_at IS NULL))`;
