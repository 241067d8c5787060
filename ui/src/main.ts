import { mount } from 'svelte'
import App from './App.svelte'
import { outdated } from './link/outdated'
import { app } from './state/app.svelte'
import './styles/tokens.css'
import './styles/base.css'
import './styles/prose.css'

/** By then the page is drawn. */
const AHEAD_AFTER = 300

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no #app')
app.start()
mount(App, { target })

// The small parts are loaded ahead, so that they are there when the server isn't.
const ahead = () => {
  void import('./palette/Palette.svelte').catch(outdated)
  void import('./repos/Doubt.svelte').catch(outdated)
  void import('./repos/Why.svelte').catch(outdated)
  void import('./timeline/Find.svelte').catch(outdated)
}
setTimeout(ahead, AHEAD_AFTER)
