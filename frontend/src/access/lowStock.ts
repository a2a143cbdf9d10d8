/** Below this an agent's credits for sale are low, and should be bought (docs/spec/dashboards.md#agent). */
export const lowStock = 12;
