import type { HLJSApi, LanguageFn } from 'highlight.js'

type Loader = () => Promise<{ default: LanguageFn }>

/** Each language is a separate file, loaded when first shown. */
const LANGUAGES: Record<string, Loader> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

const ALIASES: Record<string, string> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  'c++': 'cpp',
  h: 'c',
  golang: 'go',
  toml: 'ini',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  html: 'xml',
  svelte: 'xml',
  vue: 'xml',
  yml: 'yaml',
  patch: 'diff',
  jsonc: 'json',
}

/** More code than this in one block stays plain: colouring it would block the page. */
const HIGHLIGHT_MAX = 50_000

const core = (): Promise<HLJSApi> => import('highlight.js/lib/core').then((module) => module.default)

/** Colours a block of code, if its language is known. */
export async function highlight(code: HTMLElement, language: string): Promise<void> {
  const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase()
  const load = LANGUAGES[name]
  const text = code.textContent
  if (!load || text.length > HIGHLIGHT_MAX) return
  const got = await Promise.all([core(), load()]).catch(() => null)
  // Plain code can be read, too.
  if (!got) return
  const [hljs, grammar] = got
  if (!hljs.getLanguage(name)) hljs.registerLanguage(name, grammar.default)
  // The result is the text, escaped, in spans.
  code.innerHTML = hljs.highlight(text, { language: name, ignoreIllegals: true }).value
}
