import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [svelte()],
  // Tests run the page's modules as a browser would get them.
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  build: {
    target: ['chrome120', 'firefox121', 'safari17.4'],
    // Inlined files would be data: URLs, which the page's Content-Security-Policy keeps out.
    assetsInlineLimit: 0,
    // One sheet for all, and nothing to preload: everything comes over the loopback.
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': { target: process.env['REPOSE_URL'] ?? 'http://127.0.0.1:7777', ws: true } } },
  test: { include: ['src/**/*.test.ts', 'tests/**/*.test.ts'] },
})
