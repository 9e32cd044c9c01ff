/** An agent in the scope of its account: statements name both, so that an account never reads or changes the agent of another one. */
export interface AgentOfAccount {
  accountId: number;
  agentId: number;
}
