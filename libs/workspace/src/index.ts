export { WorkspaceExportService } from './workspace-export.service.js';
export { workspaceJsonSchema, workspaceReference } from './workspace-reference.js';
export { WorkspaceModule } from './workspace.module.js';
export { type WorkspaceReport, WorkspaceService, type WorkspaceTree } from './workspace.service.js';
