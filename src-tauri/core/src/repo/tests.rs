//! Tests of the repo machine: tables of orders against states, and random histories in a small simulated
//! world.

mod carried;
mod elsewhere;
mod histories;
mod kept;
mod orders;
mod refused;
mod told;
mod work;
mod world;
