/** What a type of tool is: run by the caller, by the provider (and billed by use), or behind a beta. */
export type ToolRule = 'client' | 'unpriced' | 'beta';

/** Every type of tool of the provider's API. A test compares it with the types of its SDKs. */
export const PROVIDER_TOOLS: Record<string, ToolRule> = {
  custom: 'client',
  bash_20250124: 'client',
  browser_toolset_20260801: 'client',
  computer_toolset_20260801: 'client',
  memory_20250818: 'client',
  text_editor_20250124: 'client',
  text_editor_20250429: 'client',
  text_editor_20250728: 'client',
  advisor_20260301: 'unpriced',
  code_execution_20250522: 'unpriced',
  code_execution_20250825: 'unpriced',
  code_execution_20260120: 'unpriced',
  code_execution_20260521: 'unpriced',
  mcp_toolset: 'unpriced',
  tool_search_tool_bm25: 'unpriced',
  tool_search_tool_bm25_20251119: 'unpriced',
  tool_search_tool_regex: 'unpriced',
  tool_search_tool_regex_20251119: 'unpriced',
  web_fetch_20250910: 'unpriced',
  web_fetch_20260209: 'unpriced',
  web_fetch_20260309: 'unpriced',
  web_fetch_20260318: 'unpriced',
  web_search_20250305: 'unpriced',
  web_search_20260209: 'unpriced',
  web_search_20260318: 'unpriced',
  bash_20241022: 'beta',
  computer_20241022: 'beta',
  computer_20250124: 'beta',
  computer_20251124: 'beta',
  text_editor_20241022: 'beta',
};

/** The rule of a type of tool; undefined if it is not known. */
export function toolRule(type: string): ToolRule | undefined {
  return Object.hasOwn(PROVIDER_TOOLS, type) ? PROVIDER_TOOLS[type] : undefined;
}
