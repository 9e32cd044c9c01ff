export { AnalysisRunnerService } from './analysis-runner.service.js';
export { AnalysisModule, AnalysisRunnerModule } from './analysis.module.js';
export type { AnalysisView, BatchView } from './analysis.presenter.js';
export { CallAnalysesRepository } from './call-analyses.repository.js';
export { CallAnalysesService } from './call-analyses.service.js';
export { ANALYSIS_SOURCES, ANALYSIS_STATUSES } from './call-analysis.entity.js';
export { analysisBatch } from './domain/analysis-batch.js';
export {
  type AnalysedField,
  type AnalysisResult,
  type RubricAnswer,
  VALUE_STATUSES,
} from './domain/analysis-result.js';
export { EVIDENCE_TYPES } from './domain/call-material.js';
