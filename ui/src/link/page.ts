/** This page's random id: when the page is closed, the server ends all use through it. */
export const PAGE = crypto.randomUUID()
