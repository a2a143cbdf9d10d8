//! Configuration of the C library's allocator.

/// Gives large allocations back to the system as soon as they are freed. Without this, glibc raises the size from which on it
/// does so, up to 32 MiB, with each one that is freed; what a playlist of 200,000 entries needs for a moment, and the 19 MiB of
/// each password hash, then stay with the process (docs/benchmarks.md#live-tv). Other systems' allocators stay as they are.
pub(crate) fn return_large_allocations() {
    /// In bytes: the lists of a playlist are larger, most responses smaller.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    const FROM: libc::c_int = 1024 * 1024;
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "there is no safe wrapper of mallopt")]
    // SAFETY: mallopt only reads its two numbers, and locks the state that it changes. A failure changes
    // nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, FROM);
    }
}
