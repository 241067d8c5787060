/** The word of this page: by it, the server ends all use through it when it is closed. */
export const PAGE = crypto.randomUUID()
