import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AgentEntity } from './agent.entity.js';

/** Columns of a list: instructions may be long, webhooks hold secrets. */
const LISTED = {
  id: true,
  name: true,
  provider: true,
  active: true,
  greeting: true,
  maxCallSeconds: true,
  ringTimeoutSeconds: true,
  transferEnabled: true,
  createdAt: true,
  updatedAt: true,
} as const;

export type ListedAgent = Pick<AgentEntity, keyof typeof LISTED>;

@Injectable()
export class AgentsRepository {
  constructor(@InjectRepository(AgentEntity) private readonly agents: Repository<AgentEntity>) {}

  /** By name. */
  page(accountId: number, { page, perPage }: { page: number; perPage: number }): Promise<[ListedAgent[], number]> {
    const place = { take: perPage, skip: (page - 1) * perPage };
    return this.agents.findAndCount({ select: LISTED, where: { accountId }, order: { name: 'ASC' }, ...place });
  }
}
