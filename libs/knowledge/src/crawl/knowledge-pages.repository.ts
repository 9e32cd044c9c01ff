import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { KnowledgePageEntity, type PageState } from './knowledge-page.entity.js';

interface PagesFilter {
  accountId: number;
  knowledgeBaseId: number;
  generation: number;
  state?: PageState;
}

/** The pages of a crawl, for the API. */
@Injectable()
export class KnowledgePagesRepository {
  constructor(@InjectRepository(KnowledgePageEntity) private readonly pages: Repository<KnowledgePageEntity>) {}

  /** One page of the list, the start first, with the exact total. Sitemaps are only listed if they failed. */
  async list(
    { state, ...generation }: PagesFilter,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ pages: KnowledgePageEntity[]; total: number }> {
    const query = this.pages
      .createQueryBuilder('p')
      .where(generation)
      .andWhere(`(p.kind = 'page' OR p.state = 'failed')`);
    if (state !== undefined) query.andWhere({ state });
    const listed = query
      .orderBy('p.depth')
      .addOrderBy('p.id')
      .limit(perPage)
      .offset((page - 1) * perPage);
    const [pages, total] = await listed.getManyAndCount();
    return { pages, total };
  }
}
