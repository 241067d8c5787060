import type { Tool } from './turns'

/** `Read ×3, Bash ×2`: which tools, the most used first. */
export function summary(tools: readonly Tool[]): string {
  const counts = new Map<string, number>()
  for (const tool of tools) counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, times]) => (times > 1 ? `${name} ×${times}` : name))
    .join(', ')
}
