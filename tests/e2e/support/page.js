// The console as a person uses it, with where to find what.

export class Page {
  constructor(page) {
    this.page = page
    this.composer = page.getByRole('textbox', { name: /^Ask the agent in/ })
    this.conversation = page.getByRole('region', { name: 'Conversation' })
    this.header = page.locator('main header')
  }

  /** The row of a repo in the list. */
  row(name) {
    return this.page.locator('nav a[data-repo]').filter({ has: this.page.getByText(name, { exact: true }) })
  }

  /** Opens a repo by its row. */
  async open(name) {
    await this.row(name).click()
    await this.page.getByRole('heading', { level: 1, name }).waitFor()
  }

  /** Waits until the row says that the repo is in this state (in the word for screen readers). */
  async state(name, state) {
    await this.row(name).locator('svg').first().and(this.page.locator(`.${state}`)).waitFor({ state: 'attached' })
  }

  /** Asks something in the repo that is open. */
  async ask(text) {
    await this.composer.fill(text)
    await this.composer.press('Enter')
  }

  /** Waits for an answer that contains this text. */
  async answer(text) {
    await this.said('Agent', text).last().waitFor()
  }

  said(who, text) {
    return this.conversation.getByRole('article', { name: who, exact: true }).filter({ hasText: text })
  }

  /** The statement of the last open, where it is shown now: in the conversation if that is in view, else in the header. */
  statement(text) {
    return this.statements(text).last()
  }

  statements(text) {
    return this.page.locator('main').getByText(text)
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: true })
  }

  /** Chooses an item from the menu of the open repo. */
  async more(item) {
    await this.button('More').click()
    await this.page.getByRole('menuitem', { name: item }).click()
  }

  dialog(name) {
    return this.page.getByRole('dialog', { name })
  }

  /** The terminal's content as text. */
  async screen() {
    return (await this.page.locator('.xterm-rows > div').allTextContents()).map((line) => line.replaceAll('\u00a0', ' ').trimEnd()).join('\n')
  }
}
